"use strict";
require("@pulumi/pulumi");
