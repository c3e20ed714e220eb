/** Re-exports string-width: in the bundle a dynamic import of the package itself has no default export. */
export { default as stringWidth } from 'string-width';
