/** Replaced by the version in package.json when the program is built. */
declare const STORECTL_VERSION: string | undefined;

export const version = typeof STORECTL_VERSION === 'string' ? STORECTL_VERSION : '0.0.0-development';
