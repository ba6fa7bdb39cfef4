/** Which providers the environment has credentials for. */
import { HEADER_VALUE } from '@gatehouse/crds/headers';
import { CONVENTIONS, type Convention } from '@gatehouse/crds/providers';

type Variables = Readonly<Record<string, string | undefined>>;

export interface FoundProvider {
  /** Id of the provider, and the slug by which requests name it. */
  readonly id: string;
  /** Values by field of the provider. */
  readonly fields: Readonly<Record<string, string>>;
  /** The variables with the credential. */
  readonly variables: readonly string[];
  readonly model: string | undefined;
  readonly defines: Convention['defines'];
}

export interface FoundProviders {
  /** In the order in which they are shown. */
  readonly found: readonly FoundProvider[];
  /** Variables that hold a key of the gateway, as clients of it have them: no provider gets that. */
  readonly gatewayKeys: readonly string[];
  /** Variables with a value that no header can carry, which are not used. */
  readonly unsendable: readonly string[];
}

/** What is said of an unsendable variable. */
export const unsendableText = (name: string): string =>
  `${name} is not used: it has characters that no header can carry, such as typographic quotes`;

/** The most usual variables, for messages. */
export const USUAL_VARIABLES: readonly string[] = [...CONVENTIONS.values()]
  .slice(0, 5)
  .flatMap(({ variables, needs }) => needs.flatMap((field) => variables[field]?.slice(0, 1) ?? []));

/** Keys of the gateway begin with it. */
const GATEWAY_KEY = 'gwk_';

/** `adminKey` is the value of GATEHOUSE_ADMIN_KEY, which need not look like a key of the gateway. */
export function findProviders(variables: Variables, adminKey: string | undefined): FoundProviders {
  const gatewayKeys: string[] = [];
  const unsendable: string[] = [];
  const read = (name: string): string | undefined => {
    const value = variables[name]?.trim();
    if (value === undefined || value === '') return undefined;
    if (!HEADER_VALUE.test(value)) {
      unsendable.push(name);
      return undefined;
    }
    if (!value.startsWith(GATEWAY_KEY) && value !== adminKey?.trim()) return value;
    gatewayKeys.push(name);
    return undefined;
  };
  const found = [...CONVENTIONS].flatMap(([id, convention]) => findProvider(id, convention, read) ?? []);
  return { found, gatewayKeys, unsendable };
}

function findProvider(
  id: string,
  { variables, read: readings = {}, needs, model, defines }: Convention,
  read: (name: string) => string | undefined,
): FoundProvider | undefined {
  const fields: Record<string, string> = {};
  const used: string[] = [];
  for (const [field, names] of Object.entries(variables)) {
    for (const name of names) {
      const text = read(name);
      const value = text === undefined ? undefined : (readings[field] ?? ((same) => same))(text);
      if (value === undefined) continue;
      fields[field] = value;
      if (needs.includes(field)) used.push(name);
      break;
    }
  }
  return needs.every((field) => fields[field] !== undefined)
    ? { id, fields, variables: used, model, defines }
    : undefined;
}
