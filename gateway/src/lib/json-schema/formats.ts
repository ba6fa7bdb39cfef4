/** Formats of JSON Schema that are checked, by the grammars that the standard names. Each looks at a text once. */
import { isIPv4, isIPv6 } from 'node:net';

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?!$)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+";
const MAILBOX = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"[^"\\\\\\p{Cc}]*")@([^@\\s]+)$`, 'u');
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const URI_CHARACTERS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** RFC 5321 and RFC 1035. */
const MAX_MAILBOX = 320;
const MAX_HOSTNAME = 253;

const isDate = (text: string): boolean => {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (day === undefined) return false;
  // The day before the first of the next month is the last of the month.
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= last;
};

/** A leap second is the last one of a day in UTC. */
const isTime = (text: string): boolean => {
  const [, hour, minute, second, sign, hours = '0', minutes = '0'] = TIME.exec(text) ?? [];
  if (second === undefined) return false;
  if (second !== '60') return true;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return (Number(hour) * 60 + Number(minute) - offset + 2 * 1_440) % 1_440 === 1_439;
};

const isDateTime = (text: string): boolean =>
  /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const isHostname = (text: string): boolean =>
  text.length <= MAX_HOSTNAME && text.split('.').every((label) => LABEL.test(label));

const isEmail = (text: string): boolean => {
  if (text.length > MAX_MAILBOX) return false;
  const host = MAILBOX.exec(text)?.[1];
  const address = host?.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : undefined;
  if (address !== undefined) return isIPv4(address) || (/^IPv6:/i.test(address) && isIPv6(address.slice(5)));
  return host !== undefined && isHostname(host);
};

const isUriReference = (text: string): boolean => URI_CHARACTERS.test(text) && URL.canParse(text, 'schema://a/');

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', (text) => DURATION.test(text)],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', (text) => isIPv6(text) && !text.includes('%')],
  ['uuid', (text) => UUID.test(text)],
  ['uri', (text) => SCHEME.test(text) && isUriReference(text)],
  ['uri-reference', isUriReference],
  ['json-pointer', (text) => POINTER.test(text)],
]);
