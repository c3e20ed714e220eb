/** The reference documents that the build writes to dist/docs/. They are large and derived, so they are not committed. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderCliReference } from '../../src/cli/cli-reference.ts';
import { buildControlDocument } from '../../src/server/control/control-document.ts';
import { controlRoutes } from '../../src/server/control/routes/index.ts';
import { controlPage } from './control-page.ts';
import { readDocumentOptions } from './document-options.ts';

/** Returns the documents by their file names in dist/docs/; writes nothing. */
export async function builtDocs(root: string): Promise<Map<string, string>> {
  const controlDocument = buildControlDocument(controlRoutes, { ...readDocumentOptions(root), isRemote: false });
  return new Map([
    ['cli.md', await renderCliReference()],
    ['control.md', controlPage()],
    ['control-openapi.json', `${JSON.stringify(controlDocument, undefined, 2)}\n`],
  ]);
}

/** Replaces `outdir` by a folder with the documents. */
export async function writeDocs({ root, outdir }: { readonly root: string; readonly outdir: string }): Promise<void> {
  const documents = await builtDocs(root);
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  for (const [name, content] of documents) writeFileSync(path.join(outdir, name), content);
}
