/** Writes the reference documents. The build bundles and runs it with the project's root and the target folder. */
import { writeDocs } from './docs.ts';

const [, , root = '.', outdir = 'dist/docs'] = process.argv;
await writeDocs({ root, outdir });
