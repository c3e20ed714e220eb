/** `npm run docs`: builds the site of the documentation into dist/site. A dead link fails the build. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { ensureFolderInstalled } from './install.mjs';
import { root } from './root.mjs';

const folder = path.join(root, 'scripts/docs-site');

// A folder with packages of its own: the site generator needs another version of vite than the console.
if (!(await ensureFolderInstalled(folder))) process.exit(1);
const vitepress = path.join(folder, 'node_modules/vitepress/bin/vitepress.js');
const { status } = spawnSync(process.execPath, [vitepress, 'build', folder], { stdio: 'inherit' });
process.exitCode = status ?? 1;
