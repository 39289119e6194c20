/**
 * The file that this code runs in: one of the package, or one that a bundler made of a whole program. The build leaves this
 * module out where it names the places of all others (`scripts/bundle-program.ts`).
 */
export const runningFile: string = import.meta.url;
