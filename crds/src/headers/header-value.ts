/**
 * What a header can carry: visible ASCII, spaces, tabs and the upper half of Latin-1; no line ends, no other control characters. Source:
 * RFC 9110 section 5.5.
 */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
