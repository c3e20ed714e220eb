/** The site of the documentation: `npm run docs`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rewriteLinks } from '../repository-links.mjs';
import { createSidebar } from '../sidebar.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const readTitle = (file) => /^# (.+)$/m.exec(read(file))?.[1] ?? file;

function configureMarkdown(markdown) {
  rewriteLinks(markdown, root);
  // The theme styles fences only.
  const { rules } = markdown.renderer;
  rules.code_block = (tokens, at, ...rest) => {
    Object.assign(tokens[at], { info: 'sh' });
    return rules.fence(tokens, at, ...rest);
  };
}

export default {
  title: 'iam-standin',
  description: JSON.parse(read('package.json')).description,
  // For a site below a path, such as /iam/.
  base: process.env.IAM_DOCS_BASE ?? '/',
  srcDir: root,
  srcExclude: ['{.github,bench,bin,coverage,data,dist,examples,node_modules,packages,scripts,src,test}/**'],
  outDir: path.join(root, 'dist/site'),
  cacheDir: path.join(root, 'node_modules/.cache/docs-site'),
  rewrites: { 'README.md': 'index.md', 'docs/decisions/README.md': 'decisions/index.md', 'docs/:page*': ':page*' },
  cleanUrls: false,
  markdown: { config: configureMarkdown },
  themeConfig: {
    sidebar: createSidebar(read('README.md'), readTitle),
    search: { provider: 'local' },
    outline: [2, 3],
  },
};
