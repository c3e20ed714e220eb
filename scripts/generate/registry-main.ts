/** Writes the registry alone: what the other generated files are made from must be whole before they are. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { operationFiles, registrySource } from './registry.ts';

const directory = path.join(process.argv[2] ?? '.', 'src/server/operations');
writeFileSync(path.join(directory, 'index.ts'), registrySource(operationFiles(directory)));
