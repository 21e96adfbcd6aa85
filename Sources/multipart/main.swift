import MultipartEncoder

print(Boundary.random())
