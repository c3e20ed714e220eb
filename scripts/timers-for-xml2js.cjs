/** Replaces the module `timers` in xml2js, whose functions test runners replace. The global is that of `src/lib/host.ts`. */
exports.setImmediate = setImmediate;
