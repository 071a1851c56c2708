import { type TSchema, Type } from 'typebox';

/** `description`: of the whole, where it says more than that of the type. */
export const Nullable = <T extends TSchema>(type: T, description?: string) =>
  Type.Union([type, Type.Null()], description === undefined ? {} : { description });
