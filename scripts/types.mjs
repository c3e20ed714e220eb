/**
 * Writes the published types: one file for each entry and module format, with the exports of the entry and all types that
 * these use. They import no package and use globals of the language only, so that they compile in any project.
 * TypeScript 7 has no compiler API, so this uses the API of TypeScript 5.9.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Name in dist/ -> source. An entry imports the types of the entries before it. */
const entries = {
  client: 'src/client/index.ts',
  index: 'src/testing/index.ts',
  testcontainers: 'src/testcontainers/index.ts',
};

/** Global types that published types can use, and the library of TypeScript that declares each. */
const globals = {
  AsyncDisposable: 'esnext.disposable',
  AsyncGenerator: 'es2022',
  Date: 'es2022',
  Error: 'es2022',
  Omit: 'es2022',
  Partial: 'es2022',
  Promise: 'es2022',
  PropertyKey: 'es2022',
  Readonly: 'es2022',
  Record: 'es2022',
};

/** Declarations of global types that only the DOM and Node declare. */
const substitutes = {
  AbortSignal: [
    '/** The AbortSignal of the DOM or of Node, if the project has the types of either. */',
    'type AbortSignal = typeof globalThis extends { AbortSignal: { prototype: infer Signal } } ? Signal : unknown;',
  ].join('\n'),
};

/** Writes a `.d.ts` and a `.d.cts` file for each entry. @throws Error if a type cannot be published. */
export function writeTypes({ root, outdir }) {
  const modules = createModules(root);
  const published = new Map();
  for (const [entry, file] of Object.entries(entries)) {
    const text = renderEntry(collectTypes(file, modules, published));
    for (const key of [...modules.exportsOf(file).values()].map(keyOf))
      if (!published.has(key)) published.set(key, entry);
    writeFileSync(path.join(outdir, `${entry}.d.ts`), text);
    writeFileSync(path.join(outdir, `${entry}.d.cts`), text.replaceAll(/ from '(\.\/\w+)\.js';$/gm, " from '$1.cjs';"));
  }
}

/** Lists the exported declarations of each entry, without comments and without those of the entries before it. */
export function listExports(root) {
  const { exportsOf } = createModules(root);
  const listed = new Set();
  const added = Object.entries(entries).map(([entry, file]) => {
    const exported = exportsOf(file);
    const names = [...exported.keys()].filter((name) => !listed.has(name)).sort();
    for (const name of names) listed.add(name);
    return [entry, names.flatMap((name) => exported.get(name).nodes.map(printDeclaration))];
  });
  return Object.fromEntries(added);
}

function printDeclaration(node) {
  const text = ts
    .createPrinter({ removeComments: true })
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());
  const code = text.replace(/^(export )?(declare )?/, 'export ');
  return code.replaceAll(/^(?: {4})+/gm, (indentation) => ' '.repeat(indentation.length / 2));
}

/** Reads source files as declarations, and finds the declarations of names. */
function createModules(root) {
  const cache = new Map();
  function load(file) {
    if (!cache.has(file)) cache.set(file, parseModule(file, readFileSync(path.join(root, file), 'utf8')));
    return cache.get(file);
  }
  /** Exported name -> its declarations. */
  function exportsOf(file) {
    const { stars, exports } = load(file);
    const found = stars.flatMap((from) => [...exportsOf(resolve(file, from))]);
    for (const [exported, binding] of exports) found.push([exported, follow(file, binding)]);
    return new Map(found);
  }
  /** Finds what a name in a file refers to; undefined for a global. */
  function find(file, name) {
    const { declarations, imports } = load(file);
    if (declarations.has(name)) return { file, name, nodes: declarations.get(name) };
    return imports.has(name) ? follow(file, imports.get(name)) : undefined;
  }
  function follow(file, { from, name }) {
    if (from === undefined) return find(file, name);
    const target = resolve(file, from);
    const declaration = exportsOf(target).get(name);
    if (!declaration) throw new Error(`${target} does not export ${name}, which ${file} imports.`);
    return declaration;
  }
  return { exportsOf, find, starsOf: (file) => load(file).stars.map((from) => resolve(file, from)) };
}

function resolve(file, from) {
  if (from.startsWith('.')) return path.posix.join(path.posix.dirname(file), from);
  throw new Error(`${file}: a published type uses the package ${from}. Declare a type in the project instead.`);
}

/** Parses the declarations, imports and exports of a source file. Types of exports must be explicit. */
function parseModule(file, source) {
  const { outputText, diagnostics } = ts.transpileDeclaration(source, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { strict: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 },
  });
  const [problem] = diagnostics ?? [];
  if (problem) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  const module = { declarations: new Map(), imports: new Map(), exports: new Map(), stars: [] };
  for (const node of ts.createSourceFile(file, outputText, ts.ScriptTarget.ES2023, true).statements)
    addStatement(module, node);
  return module;
}

function addStatement({ declarations, imports, exports, stars }, node) {
  const from = node.moduleSpecifier?.text;
  if (ts.isExportAssignment(node) || (node.exportClause && ts.isNamespaceExport(node.exportClause)))
    throw new Error(`${node.getSourceFile().fileName}: "${node.getText()}" cannot be published. Export names instead.`);
  if (ts.isImportDeclaration(node)) for (const [local, name] of importedNames(node)) imports.set(local, { from, name });
  else if (ts.isExportDeclaration(node) && !node.exportClause) stars.push(from);
  else if (ts.isExportDeclaration(node))
    for (const { name, propertyName = name } of node.exportClause.elements)
      exports.set(name.text, { from, name: propertyName.text });
  for (const { text } of declaredNames(node)) {
    declarations.set(text, [...(declarations.get(text) ?? []), node]);
    if (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) exports.set(text, { name: text });
  }
}

/** Local name -> name in the imported module. */
function importedNames({ importClause: { name, namedBindings } = {} }) {
  const byDefault = name ? [[name.text, 'default']] : [];
  const all = namedBindings?.name ? [[namedBindings.name.text, '*']] : [];
  const named = (namedBindings?.elements ?? []).map((one) => [one.name.text, (one.propertyName ?? one.name).text]);
  return [...byDefault, ...all, ...named];
}

function declaredNames(node) {
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.map(({ name }) => name);
  return node.name ? [node.name] : [];
}

/** Collects the exports of an entry and the types that they use: those of this file, of other entries, and globals. */
function collectTypes(entry, { exportsOf, find, starsOf }, published) {
  const exported = exportsOf(entry);
  const types = { declarations: new Map(), imported: new Map(), globals: new Set(), stars: new Set(), exported };
  const add = (declaration) => {
    const { file, name, nodes } = declaration;
    const entryOf = published.get(keyOf(declaration));
    if (entryOf) types.imported.set(name, entryOf);
    const known = types.declarations.get(name);
    if (known && known.file !== file) throw new Error(`${file} and ${known.file} declare ${name}. Rename one of them.`);
    if (entryOf || known) return;
    types.declarations.set(name, declaration);
    for (const used of nodes.flatMap((node) => referencedNames(node))) addUsed(file, used);
  };
  const addUsed = (file, name) => {
    const declaration = find(file, name);
    if (declaration && declaration.name !== name)
      throw new Error(`${file} uses ${declaration.name} by the name ${name}. Published types need one name.`);
    if (declaration) add(declaration);
    else if (name in globals || name in substitutes) types.globals.add(name);
    else throw new Error(`${file}: ${name} is not a global type of the language, so a published type cannot use it.`);
  };
  for (const file of starsOf(entry)) {
    const [name] = Object.entries(entries).find(([, source]) => source === file) ?? [];
    if (name) types.stars.add(name);
  }
  for (const [name, declaration] of exported) {
    if (declaration?.name !== name) throw new Error(`${entry} exports ${name} by another name than its declaration.`);
    if (!types.stars.has(published.get(keyOf(declaration)))) add(declaration);
  }
  return types;
}

function keyOf({ file, name }) {
  return `${file} ${name}`;
}

/** The names of types and values that a declaration refers to, except the type parameters in scope. */
function referencedNames(node, outer = []) {
  if (ts.isImportTypeNode(node))
    throw new Error(
      `${node.getSourceFile().fileName}: "${node.getText()}" cannot be published. Import the name instead.`,
    );
  const scope = [...outer, ...typeParametersOf(node)];
  const reference = node.typeName ?? node.exprName ?? (ts.isExpressionWithTypeArguments(node) && node.expression);
  const [name] = reference ? reference.getText().split('.') : [];
  const names = name && !scope.includes(name) ? [name] : [];
  ts.forEachChild(node, (child) => {
    // The parameters of `infer` are in scope in one branch only.
    const isOutside = ts.isConditionalTypeNode(node) && child !== node.trueType;
    names.push(...referencedNames(child, isOutside ? outer : scope));
  });
  return names;
}

/** The type parameters that a node declares; a conditional type declares those of `infer`. */
function typeParametersOf(node) {
  if (ts.isConditionalTypeNode(node)) return inferredParameters(node.extendsType);
  return [node.typeParameter ?? [], node.typeParameters ?? []].flat().map(({ name }) => name.text);
}

function inferredParameters(node) {
  const names = ts.isInferTypeNode(node) ? [node.typeParameter.name.text] : [];
  ts.forEachChild(node, (child) => {
    names.push(...inferredParameters(child));
  });
  return names;
}

function renderEntry({ declarations, imported, globals: used, stars, exported }) {
  const libraries = [...new Set([...used].flatMap((name) => globals[name] ?? []))].sort();
  const sources = [...new Set(imported.values())];
  const importLines = sources.map((source) => {
    const names = [...imported.keys()].filter((name) => imported.get(name) === source).sort();
    return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './${source}.js';`;
  });
  return [
    libraries.map((library) => `/// <reference lib="${library}" />`).join('\n'),
    ...importLines,
    ...[...stars].map((source) => `export * from './${source}.js';`),
    ...[...declarations.values()].map((declaration) => renderDeclarations(declaration, exported)),
    ...[...used].flatMap((name) => substitutes[name] ?? []),
    // Without this line, TypeScript would export every declaration.
    'export {};',
  ]
    .join('\n\n')
    .concat('\n');
}

/** Renders the declarations of a name, such as the overloads of a function. */
function renderDeclarations({ name, nodes }, exported) {
  return nodes.map((node) => renderDeclaration(node, exported.has(name))).join('\n\n');
}

function renderDeclaration(node, isExported) {
  const documentation = node.jsDoc?.at(-1)?.getText();
  const needsDeclare = !ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node);
  const code = node.getText().replace(/^(export )?(declare )?/, needsDeclare ? 'declare ' : '');
  return [...(documentation ? [documentation] : []), (isExported ? 'export ' : '') + code].join('\n');
}
