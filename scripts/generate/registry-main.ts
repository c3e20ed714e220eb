/** Writes only the registry: the other generated files depend on it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { operationFiles, registrySource } from './registry.ts';

const directory = path.join(process.argv[2] ?? '.', 'src/server/operations');
writeFileSync(path.join(directory, 'index.ts'), registrySource(operationFiles(directory)));
