/** In place of what a package uses only if it is installed: the binding to libpq of pg, and the colours of debug. */
module.exports = undefined;
