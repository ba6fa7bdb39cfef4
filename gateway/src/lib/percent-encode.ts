/**
 * A text from outside as a part of a URL. Lone surrogates, which JSON can say and which make `encodeURIComponent` throw, become U+FFFD.
 */
export const percentEncoded = (text: string): string => encodeURIComponent(text.toWellFormed());
