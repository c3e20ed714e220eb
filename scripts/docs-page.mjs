/**
 * Puts the page that shows the API documents into dist/: its own files, and what it needs of swagger-ui-dist with its
 * licences. So the package ships them, and who installs it gets neither that package nor what it brings along.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const own = ['index.html', 'page.css', 'page.js'];

/** Files of swagger-ui-dist, and the names that they get here. */
const ofSwagger = {
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
};

export function copyDocsPage({ root, outdir }) {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  for (const name of own) copyFileSync(path.join(root, 'src/server/openapi/page', name), path.join(outdir, name));
  for (const [name, target] of Object.entries(ofSwagger)) {
    const text = readFileSync(path.join(root, 'node_modules/swagger-ui-dist', name), 'utf8');
    // Maps are as large as the files and not shipped, so nothing may look for them.
    writeFileSync(path.join(outdir, target), text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, ''));
  }
}
