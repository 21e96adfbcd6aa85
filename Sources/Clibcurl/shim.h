// libcurl's public header, found through pkg-config.
#include <curl/curl.h>
