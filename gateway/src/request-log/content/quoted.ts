/** Printable ASCII that JSON has as it is: nearly all that headers say. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A text as JSON. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
