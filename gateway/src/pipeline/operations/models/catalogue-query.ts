/** Which of the catalogue's models a request asks for, and in which order: docs/behaviour/requests.md. */
import { AppError } from '../../../errors/index.ts';

/** What the query compares. */
export interface ListedModel {
  /** As accounts name it. */
  readonly model: string;
  /** Slug of the account. */
  readonly slug: string;
  /** Id of the account's provider. */
  readonly service: string;
}

const SORTS = {
  name: ({ model }: ListedModel) => model,
  provider: ({ slug }: ListedModel) => slug,
  ai_service: ({ service }: ListedModel) => service,
} as const;

const ORDERS = ['asc', 'desc'] as const;
/** More models than any catalogue has. */
const MAX_NUMBER = 1_000_000;

export interface CatalogueQuery {
  /** Those of the account and service that are asked for, sorted where the query says how. */
  select<T extends ListedModel>(models: readonly T[]): readonly T[];
  /** The page of them. */
  page<T>(selected: readonly T[]): readonly T[];
}

/** Throws PARAMETER_INVALID. */
export function readCatalogueQuery(query: string): CatalogueQuery {
  const asked = new URLSearchParams(query);
  const [service, slug] = [asked.get('ai_service'), asked.get('provider')?.replace(/^@/, '')];
  const sort = oneOf(asked, 'sort', Object.keys(SORTS) as (keyof typeof SORTS)[]);
  const order = oneOf(asked, 'order', ORDERS);
  const [offset, limit] = [numberOf(asked, 'offset', 0), numberOf(asked, 'limit', 1)];
  const isAsked = (model: ListedModel): boolean =>
    (service === null || model.service === service) && (slug === undefined || model.slug === slug);
  return {
    select(models) {
      const selected = models.filter(isAsked);
      if (sort === undefined && order === undefined) return selected;
      const keyOf = SORTS[sort ?? 'name'];
      const sign = order === 'desc' ? -1 : 1;
      return selected.toSorted((a, b) => sign * compare(keyOf(a), keyOf(b)));
    },
    page: (selected) => selected.slice(offset ?? 0, limit === undefined ? undefined : (offset ?? 0) + limit),
  };
}

/** By code units: the same order everywhere. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function oneOf<T extends string>(asked: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  const given = asked.get(name);
  if (given === null) return undefined;
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw new AppError('PARAMETER_INVALID', { param: name, detail: `${name} must be one of ${values.join(', ')}` });
}

function numberOf(asked: URLSearchParams, name: string, least: number): number | undefined {
  const given = asked.get(name);
  if (given === null) return undefined;
  const number = /^\d{1,7}$/.test(given) ? Number(given) : Number.NaN;
  if (number >= least && number <= MAX_NUMBER) return number;
  const detail = `${name} must be a number from ${least} to ${MAX_NUMBER}`;
  throw new AppError('PARAMETER_INVALID', { param: name, detail });
}
