"use strict";
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

new nfv.KubernetesCluster("core", new pulumi.Config().requireObject("cluster"));
