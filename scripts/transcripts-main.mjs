/** `npm run transcripts`: writes the current output of the commands into the pages with transcripts. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';
import { renderPage, transcriptPages } from './transcripts.mjs';

for (const page of transcriptPages) writeFileSync(path.join(root, page), await renderPage(page));
