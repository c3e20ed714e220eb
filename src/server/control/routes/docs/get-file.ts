import * as z from 'zod';
import { exampleText, optionalText, singleLine } from '../../../../contract/schemas/primitives.ts';
import { pageFileNames } from '../../../openapi/docs-page-files.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'read',
  browser: 'asset',
  id: 'control.docs-file',
  title: 'Get a file of the documentation page',
  description: 'Scripts, styles and licences of the page at /_iam/docs.',
  method: 'GET',
  path: '/docs/{name}',
  audit: { kind: 'read', targets: { path: ['name'] } },
  request: {
    params: { name: z.enum(pageFileNames).describe('Name of the file') },
    query: {
      v: singleLine(64, 'Version of the files; with it, browsers may cache the file permanently')
        .optional()
        .meta({ examples: ['0.1.0'] }),
    },
    headers: {
      'Accept-Encoding': optionalText('gzip, br', 'With br, the file is compressed with Brotli'),
    },
  },
  response: {
    status: 200,
    body: exampleText('text'),
    alternatives: ['text/css', 'text/javascript', 'text/plain'],
  },
  errors: ['PAGE_NOT_BUILT'],

  async handle({ params: { name }, query: { v: version }, headers }, { docsPageFiles }) {
    const { readDocsFile } = await import('../../../openapi/docs-page.ts');
    return readDocsFile(docsPageFiles, { name, version, acceptEncoding: headers['Accept-Encoding'] });
  },
});
