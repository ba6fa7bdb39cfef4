/** Shapes that several families of management operations share. */
import { z } from 'zod';

export const uuid = z.uuid();
export const dateTime = z.iso.datetime({ offset: true });
export const name = z.string().max(255);
/** Of a new object; absent: it is made of its name. */
export const slug = z.string().min(1).max(253);
/** Of an object with versions, whose names are the slug with a number. */
export const MAX_VERSIONED_SLUG = 244;
/** A JSON object that another schema checks. */
export const anyObject = z.record(z.string(), z.unknown());

/** Numbers of a query are texts. */
export const queryInt = z.coerce.number().int().min(0);

/** Pages count from zero; both spellings are accepted. */
export const paging = {
  current_page: queryInt.optional(),
  page_size: queryInt.optional(),
  currentPage: queryInt.optional(),
  pageSize: queryInt.optional(),
} as const;

/** Of a change that has nothing to say. */
export const emptyObject = anyObject;

const mapping = {
  target_field: z.string().min(1).max(200),
  secret_reference_id: z.string().min(1).max(253),
};

/** Fields whose values are taken from secret references. */
export const secretMappings = z
  .array(
    z.strictObject({
      ...mapping,
      secret_key: z.string().min(1).max(253).nullish(),
      value_format: z.enum(['string', 'json']).nullish(),
    }),
  )
  .max(32)
  .nullish();

export type RestSecretMapping = NonNullable<z.output<typeof secretMappings>>[number];

export const shownSecretMappings = z.array(
  z.object({ ...mapping, secret_key: z.string().nullable(), value_format: z.enum(['string', 'json']) }),
);
