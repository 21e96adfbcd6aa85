<?php
// Reads the request's body with PHP's own parser and tells what it found.
function part($name, $filename, $type, $content)
{
    return [
        "name" => $name,
        "filename" => $filename,
        "contentType" => $type,
        "size" => strlen($content),
        "sha256" => hash("sha256", $content),
    ];
}

$parts = [];
foreach ($_POST as $name => $value) {
    foreach (is_array($value) ? $value : [$value] as $item) {
        $key = is_array($value) ? $name . "[]" : (string) $name;
        $parts[] = part($key, null, null, $item);
    }
}
foreach ($_FILES as $name => $file) {
    $several = is_array($file["name"]);
    foreach ((array) $file["full_path"] as $index => $filename) {
        $path = $several ? $file["tmp_name"][$index] : $file["tmp_name"];
        $error = $several ? $file["error"][$index] : $file["error"];
        if ($error !== UPLOAD_ERR_OK) {
            exit(json_encode(["error" => "PHP upload error $error for $name"]));
        }
        $type = $several ? $file["type"][$index] : $file["type"];
        $key = $several ? $name . "[]" : (string) $name;
        $parts[] = part($key, $filename, $type, file_get_contents($path));
    }
}
echo json_encode(["parts" => $parts]);
