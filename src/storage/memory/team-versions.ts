/** The number of each team's last change; its catalogue and the addresses of its instances count in one sequence. */
export class TeamVersions {
  readonly #versions = new Map<string, number>();

  current(team: string): number {
    return this.#versions.get(team) ?? 0;
  }

  next(team: string): number {
    const version = this.current(team) + 1;
    this.#versions.set(team, version);
    return version;
  }
}
