/** `node scripts/install-folder.mjs FOLDER`: installs the packages of a folder that is not a workspace, if needed. */
import path from 'node:path';
import process from 'node:process';
import { ensureFolderInstalled } from './install.mjs';
import { root } from './root.mjs';

const [folder = ''] = process.argv.slice(2);
if (!(await ensureFolderInstalled(path.join(root, folder)))) process.exitCode = 1;
