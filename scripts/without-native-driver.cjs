/** In place of pg's optional binding to libpq, which is never installed. */
module.exports = undefined;
