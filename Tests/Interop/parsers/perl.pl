#!/usr/bin/env perl
# Reads BODY with a module of Perl's: perl.pl MODULE BODY CONTENT-TYPE.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(decode encode);
use JSON::PP;

my ($module, $path, $content_type) = @ARGV;

sub slurp {
    open my $file, '<:raw', shift or die $!;
    local $/;
    return scalar(<$file>) // '';
}

# Names and filenames come as bytes.
sub part {
    my ($name, $filename, $type, $content) = @_;
    return {
        name        => decode('UTF-8', $name),
        filename    => defined $filename ? decode('UTF-8', $filename) : undef,
        contentType => $type,
        size        => length $content,
        sha256      => sha256_hex($content),
    };
}

sub list { my $value = shift; return ref $value eq 'ARRAY' ? @$value : ($value) }

my %readers = (
    'cgi' => sub {
        require CGI;
        no warnings 'once';
        $CGI::POST_MAX = -1;
        local %ENV = (
            %ENV,
            REQUEST_METHOD => 'POST',
            CONTENT_TYPE   => $content_type,
            CONTENT_LENGTH => -s $path,
        );
        open STDIN, '<:raw', $path or die $!;
        my $query = CGI->new;
        die $query->cgi_error if $query->cgi_error;
        my @parts;
        for my $name ($query->param) {
            my @files = $query->upload($name);
            if (@files) {
                for my $file (@files) {
                    my $type = $query->uploadInfo($file)->{'Content-Type'};
                    local $/;
                    push @parts, part($name, "$file", $type, scalar(<$file>) // '');
                }
            } else {
                push @parts, part($name, undef, undef, $_) for $query->multi_param($name);
            }
        }
        return \@parts;
    },
    'http-body' => sub {
        require HTTP::Body;
        my $body = HTTP::Body->new($content_type, -s $path);
        $body->cleanup(1);
        $body->add(slurp($path));
        my @parts;
        my ($fields, $files) = ($body->param, $body->upload);
        for my $name (keys %$fields) {
            push @parts, part($name, undef, undef, $_) for list($fields->{$name});
        }
        for my $name (keys %$files) {
            for my $file (list($files->{$name})) {
                my $type = $file->{headers}{'Content-Type'};
                push @parts, part($name, $file->{filename}, $type, slurp($file->{tempname}));
            }
        }
        return \@parts;
    },
    'http-entity-parser' => sub {
        require HTTP::Entity::Parser;
        my $parser = HTTP::Entity::Parser->new;
        $parser->register('multipart/form-data', 'HTTP::Entity::Parser::MultiPart');
        open my $input, '<:raw', $path or die $!;
        # Its files live as long as the request.
        my $env = {
            CONTENT_TYPE => $content_type, CONTENT_LENGTH => -s $path, 'psgi.input' => $input,
        };
        my ($fields, $files) = $parser->parse($env);
        my @parts;
        while (my ($name, $value) = splice @$fields, 0, 2) {
            push @parts, part($name, undef, undef, $value);
        }
        while (my ($name, $file) = splice @$files, 0, 2) {
            my %kept;
            my @pairs = @{ $file->{headers} };
            while (my ($key, $value) = splice @pairs, 0, 2) { $kept{ lc $key } = $value }
            push @parts,
                part($name, $file->{filename}, $kept{'content-type'}, slurp($file->{tempname}));
        }
        return \@parts;
    },
    'mojo' => sub {
        require Mojo::Message::Request;
        my $request = Mojo::Message::Request->new;
        $request->max_message_size(0);
        $request->headers->content_type($content_type);
        $request->headers->content_length(-s $path);
        $request->method('POST');
        my $head = "POST / HTTP/1.1\r\nContent-Type: $content_type\r\n"
            . "Content-Length: " . (-s $path) . "\r\n\r\n";
        $request = Mojo::Message::Request->new->max_message_size(0)->parse($head . slurp($path));
        die $request->error->{message} if $request->error;
        die 'not finished' unless $request->is_finished;
        my @parts;
        my $pairs = $request->body_params->pairs;
        for (my $i = 0; $i < @$pairs; $i += 2) {
            push @parts, part((map { encode('UTF-8', $_) } $pairs->[$i]), undef, undef,
                encode('UTF-8', $pairs->[ $i + 1 ]));
        }
        for my $file (@{ $request->uploads }) {
            push @parts, part(encode('UTF-8', $file->name), encode('UTF-8', $file->filename),
                $file->headers->content_type, $file->asset->slurp);
        }
        return \@parts;
    },
);

my $parts = eval { $readers{$module}->() };
my $answer = defined $parts ? { parts => $parts } : { error => "$@" };
print JSON::PP->new->ascii->encode($answer);
