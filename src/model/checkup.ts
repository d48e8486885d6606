/** What `doctor` says of one thing that a run needs. */
export interface DoctorCheck {
  /** The thing, in one or two words: `address`, `token`. */
  readonly about: string
  /** `note`: nothing a run would fail for, but worth knowing. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly said: string
  /** The one thing to do about it. */
  readonly todo?: string
}
