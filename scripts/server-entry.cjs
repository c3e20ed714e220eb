/** The server as programs load it: its files lie in the folder beside this one. */
const { folderLoader } = require('./cli-part.cjs');

module.exports = folderLoader(`${__dirname}/parts`, require)('./main.cjs');
