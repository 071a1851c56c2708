/** The next events of a stream, as many as are wanted; the stream goes on. */
export async function eventsOf<Event>(stream: AsyncIterable<Event>, count: number): Promise<Event[]> {
  const iterator = stream[Symbol.asyncIterator]();
  const events: Event[] = [];
  while (events.length < count) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`the stream ended after ${events.length} events, ${count} were wanted`);
    events.push(value);
  }
  return events;
}
