#!/usr/bin/env node
// CommonJS, as the package.json beside it says: Node starts sooner when its loader of ES modules has nothing to do.
const { existsSync } = require('node:fs');

const main = `${__dirname}/../dist/cli/main.cjs`;
if (existsSync(main)) {
  // This is node:module, where that need not be loaded for it.
  module.constructor.enableCompileCache?.();
  require(main);
} else {
  process.stderr.write('error: iam is not built yet. Run: npm ci && npm run build\n');
  process.exitCode = 1;
}
