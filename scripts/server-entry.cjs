/** What programs load of the server: its files lie in the folder beside this one. The bundler puts in which it is. */
const { folderLoader } = require('./cli-part.cjs');

module.exports = folderLoader(`${__dirname}/parts`, require)(PART);
