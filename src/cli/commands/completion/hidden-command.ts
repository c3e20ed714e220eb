/** The hidden command of the shell scripts. It is not listed in help or the catalogue. */
export const hiddenCompleteCommand = '__complete';
