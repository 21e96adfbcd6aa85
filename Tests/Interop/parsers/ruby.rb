# Reads BODY with one of Ruby's parsers: ruby.rb NAME BODY CONTENT-TYPE.
require "digest"
require "json"
require "stringio"

def part(name, filename, type, content)
  {
    name: name.dup.force_encoding("UTF-8"),
    filename: filename && filename.dup.force_encoding("UTF-8"),
    contentType: type,
    size: content.bytesize,
    sha256: Digest::SHA256.hexdigest(content),
  }
end

# Takes the place of Rack's query parser, so that every part is seen as it came.
class Collector
  attr_reader :parts

  def initialize
    @parts = []
  end

  def make_params
    self
  end

  def param_depth_limit
    100
  end

  def normalize_params(_params, name, value, _depth = nil)
    if value.is_a?(Hash)
      file = value[:tempfile]
      file.rewind
      @parts << part(name, value[:filename], value[:type], file.read)
    else
      @parts << part(name, nil, nil, value)
    end
  end

  def to_params_hash
    @parts
  end
end

READERS = {
  "rack" => lambda do |body, content_type|
    require "rack"
    require "tempfile"
    collector = Collector.new
    make_file = ->(_filename, _type) { Tempfile.new("rack") }
    Rack::Multipart::Parser.parse(
      StringIO.new(body), body.bytesize, content_type, make_file, 1 << 20, collector
    )
    collector.parts
  end,
  "multipart-parser" => lambda do |body, content_type|
    require "multipart_parser/reader"
    boundary = MultipartParser::Reader.extract_boundary_value(content_type)
    reader = MultipartParser::Reader.new(boundary)
    found = []
    reader.on_part do |piece|
      content = +"".b
      found << [piece, content]
      piece.on_data { |data| content << data }
    end
    reader.on_error { |message| raise message }
    reader.write(body)
    raise "not finished" unless reader.ended?
    found.map { |piece, content| part(piece.name, piece.filename, piece.mime, content) }
  end,
}.freeze

name, path, content_type = ARGV
begin
  answer = { parts: READERS.fetch(name).call(File.binread(path), content_type) }
rescue StandardError => error
  answer = { error: "#{error.class}: #{error.message}" }
end
print JSON.generate(answer)
