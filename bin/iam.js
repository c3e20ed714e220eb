#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  module.enableCompileCache?.();
  await import(main.href);
} else {
  process.stderr.write('error: iam is not built yet. Run: npm ci && npm run build\n');
  process.exitCode = 1;
}
