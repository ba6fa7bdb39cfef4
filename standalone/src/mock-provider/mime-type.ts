const MAX_CHARACTERS = 128;
const UNKNOWN_TYPE = 'application/octet-stream';

// RFC 9110, section 8.3.1; without what a quoted string may escape.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MIME_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]*"))*$`);

/** The MIME type as it can stand in a header: `application/octet-stream` when it is none, or has more than 128 characters. */
export function toMimeType(given: string): string {
  return given.length <= MAX_CHARACTERS && MIME_TYPE.test(given) ? given : UNKNOWN_TYPE;
}
