/** The same function, which keeps its last result for where it is asked the same again. */
export function keepLast<Given extends string | number, Made>(make: (given: Given) => Made) {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (given: Given): Made => {
    if (last?.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}
