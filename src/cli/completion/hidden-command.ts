/** The word by which the scripts of the shells ask. It is no command of people: neither help nor catalogue has it. */
export const hiddenCompleteCommand = '__complete';
