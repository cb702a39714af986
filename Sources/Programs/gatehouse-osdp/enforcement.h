#pragma once

/// Nothing but the handshake goes without a secure channel from now on, and no channel by the default key.
///
/// - Parameter context: of a device of libosdp 3.2.9's.
void enforce_secure(void *context);
