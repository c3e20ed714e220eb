/**
 * Copies the API documentation page into dist/: its own files, and the required files of swagger-ui-dist with their
 * licenses. So users of the package do not install swagger-ui-dist and its dependencies.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The package of the copied files. */
export const swaggerPackage = 'swagger-ui-dist';

const own = ['index.html', 'page.css', 'page.js'];

/** Its files and their target names. */
const ofSwagger = {
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
};

export function copyDocsPage({ root, outdir }) {
  mkdirSync(outdir, { recursive: true });
  for (const name of own) copyFileSync(path.join(root, 'src/server/openapi/page', name), path.join(outdir, name));
  for (const [name, target] of Object.entries(ofSwagger)) {
    const text = readFileSync(path.join(root, 'node_modules', swaggerPackage, name), 'utf8');
    // Source maps are not shipped, so the references to them are removed.
    writeFileSync(path.join(outdir, target), text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, ''));
  }
}
