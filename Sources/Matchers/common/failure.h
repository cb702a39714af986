#pragma once
#include "face_plugin.h"

/// Why a call ends: thrown inside the plug-in, turned into its code before the host sees it.
struct Failure {
    fmp_status status;
};
