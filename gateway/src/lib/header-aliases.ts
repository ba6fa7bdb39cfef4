/** Other prefixes for the gateway's own headers; docs/behaviour/headers.md#other-prefixes. */

/** The prefix of the gateway's own headers. */
export const OWN_PREFIX = 'x-gw-';
/** What another spelling of an alias becomes: no header of the gateway, but never sent on either. */
const OWN_WITH_UNDERSCORES = 'x_gw_';

/** The alias that a lower-case name begins with. */
export const aliasOf = (name: string, aliases: readonly string[]): string | undefined =>
  aliases.find((alias) => name.startsWith(alias));

const OWN_NAMES = /\bx-gw-[a-z0-9-]*/g;

export interface Spelling {
  /** Headers of the request by the gateway's names, as they were sent. */
  readonly sent: ReadonlyMap<string, string>;
  /** Headers of the request, under the gateway's names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The prefix of what was not sent. */
  readonly alias: string;
}

/** The text with the gateway's headers as its client writes them. */
export const spellHeaders = (text: string, { sent, headers, alias }: Spelling): string =>
  text.replace(OWN_NAMES, (name) => {
    const known = sent.get(name) ?? (Object.hasOwn(headers, name) ? name : undefined);
    return known ?? alias + name.slice(OWN_PREFIX.length);
  });

/** The name with `x-gw-` in place of an alias; other names as they are. Names and aliases are lower-case. */
export function toOwnName(name: string, aliases: readonly string[]): string {
  const alias = aliasOf(name, aliases);
  if (alias !== undefined) return OWN_PREFIX + name.slice(alias.length);
  if (!name.includes('_')) return name;
  const spelled = aliasOf(name.replaceAll('_', '-'), aliases);
  return spelled === undefined ? name : OWN_WITH_UNDERSCORES + name.slice(spelled.length);
}
