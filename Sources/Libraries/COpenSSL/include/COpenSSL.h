// libcrypto's EVP interface, the arena it allocates from, and functions in place of the macros Swift cannot see.
#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "arena.h"
#include "certificates.h"
#include "curves.h"
#include "parameters.h"
#include "requests.h"
#include "stacks.h"
