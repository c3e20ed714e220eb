/** The entry of the bundled server: loads a part from the folder `parts`. The bundler defines PART. */
const { folderLoader } = require('./cli-part.cjs');

module.exports = folderLoader(`${__dirname}/parts`, require)(PART);
