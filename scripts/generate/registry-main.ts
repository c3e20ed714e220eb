/** Writes only the registries of operations and control-plane routes: the other generated files depend on them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { registries } from './registry.ts';

const root = process.argv[2] ?? '.';

for (const [file, content] of registries(root)) writeFileSync(path.join(root, file), content);
