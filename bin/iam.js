#!/usr/bin/env node
// CommonJS, as the package.json beside it says: Node starts sooner without its loader of ES modules.
const { existsSync } = require('node:fs');
const nodeModule = require('node:module');
const path = require('node:path');

const main = path.join(__dirname, '../dist/cli.cjs');
if (existsSync(main)) {
  // Node 22.8 and newer keep compiled code. The default folder is shared with other users, so it is one of the user's.
  const { XDG_CACHE_HOME: cache, HOME: home } = process.env;
  const folder = cache && path.isAbsolute(cache) ? cache : home && path.join(home, '.cache');
  if (folder) nodeModule.enableCompileCache?.(path.join(folder, 'iam', 'compiled'));
  require(main);
} else {
  process.stderr.write('error: iam is not built yet. Run: npm ci && npm run build\n');
  process.exitCode = 1;
}
