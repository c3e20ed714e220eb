/**
 * Writes scripts/swagger-ui-notices.txt after an update of swagger-ui-dist. First install the packages in an empty
 * folder, as they were on the day of its release (here 5.35.0), with the major version of React in the bundle:
 *
 *     npm install --before 2026-11-14 --ignore-scripts --legacy-peer-deps swagger-ui react@18 react-dom@18 react-debounce-input \
 *       react-immutable-pure-component events process stream-browserify tachyons-sass normalize.css@7
 *     node scripts/swagger-ui-notices-main.mjs FOLDER
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';
import { renderSwaggerNotices } from './swagger-ui-notices.mjs';

const from = path.resolve(process.argv[2] ?? '.');
writeFileSync(path.join(root, 'scripts/swagger-ui-notices.txt'), renderSwaggerNotices(root, from));
