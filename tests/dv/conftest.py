# SPDX-License-Identifier: Apache-2.0
"""The trees in fixtures/ hold tests that fail; ``dv run`` runs them, pytest itself must not."""

collect_ignore = ["fixtures"]
