/** YAML, in a file of its own: a dynamic import of the package itself has no named exports once it is bundled. */
export { parse as parseYaml, stringify as yamlText } from 'yaml';
