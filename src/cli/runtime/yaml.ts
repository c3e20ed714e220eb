/** YAML, in a file of its own: a dynamic import of the package itself has no named exports once it is bundled. */
export {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parse as parseYaml,
  parseAllDocuments,
  stringify as yamlText,
} from 'yaml';
