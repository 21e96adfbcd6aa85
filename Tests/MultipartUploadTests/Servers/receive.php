<?php
// Parses the form as PHP does and says what it found: the fields, and each file's size and digest.
header('Content-Type: application/json');
$files = [];
foreach ($_FILES as $name => $file) {
    $files[$name] = [
        'filename' => $file['name'], 'type' => $file['type'], 'error' => $file['error'],
        'size' => $file['size'],
        'sha256' => $file['error'] === 0 ? hash_file('sha256', $file['tmp_name']) : null,
    ];
}
echo json_encode(['fields' => $_POST, 'files' => $files], JSON_FORCE_OBJECT);
