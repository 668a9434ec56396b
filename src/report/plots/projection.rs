//! The geometry of bars on a floor, seen from the right of their front. Pure.
//!
//! The floor has a column for each block size, from left to right, and a row for each mix, from
//! front to back; a cell of it has length 1. The projection is parallel, so bars of one height are
//! equally high everywhere. Directions are given by sines and cosines of Pythagorean triples:
//! nothing here depends on a mathematical library, and the same bars give the same drawing.

/// Share of a floor cell that a bar covers in each direction.
pub(super) const BAR_WIDTH: f64 = 0.62;

/// A place in the room: along the columns, along the rows, upwards.
pub(super) type Place = [f64; 3];

/// Where the eye is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct View {
    /// Turned to the right of the front: sine and cosine.
    yaw: (f64, f64),
    /// Above the floor: sine and cosine.
    pitch: (f64, f64),
}

/// A bar on its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    /// Index of its block size, from 0 at the left.
    pub(super) column: usize,
    /// Index of its mix, from 0 in front.
    pub(super) row: usize,
    /// In lengths of a floor cell.
    pub(super) height: f64,
}

/// A face of a bar that the eye can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Top,
    Front,
    Right,
}

pub(super) const FACES: [Face; 3] = [Face::Top, Face::Front, Face::Right];

/// Views from the most natural to the steepest.
pub(super) const VIEWS: [View; 4] = [
    View::new((7.0 / 25.0, 24.0 / 25.0), (8.0 / 17.0, 15.0 / 17.0)),
    View::new((7.0 / 25.0, 24.0 / 25.0), (3.0 / 5.0, 4.0 / 5.0)),
    View::new((5.0 / 13.0, 12.0 / 13.0), (20.0 / 29.0, 21.0 / 29.0)),
    View::new((5.0 / 13.0, 12.0 / 13.0), (4.0 / 5.0, 3.0 / 5.0)),
];

impl View {
    const fn new(yaw: (f64, f64), pitch: (f64, f64)) -> Self {
        Self { yaw, pitch }
    }

    /// On paper, to the right and upwards, in lengths of a floor cell.
    pub(super) fn project(&self, [x, y, z]: Place) -> (f64, f64) {
        let depth = y * self.yaw.1 - x * self.yaw.0;
        let right = x * self.yaw.1 + y * self.yaw.0;
        (right, depth * self.pitch.0 + z * self.pitch.1)
    }

    /// How much of a height is seen.
    pub(super) fn upright(&self) -> f64 {
        self.pitch.1
    }

    /// The direction from a place to the eye.
    fn eye_direction(&self) -> Place {
        [
            self.yaw.0 * self.pitch.1,
            -self.yaw.1 * self.pitch.1,
            self.pitch.0,
        ]
    }

    /// Area on paper of a parallelogram spanned by two edges.
    fn area(&self, a: Place, b: Place) -> f64 {
        let ((ax, ay), (bx, by)) = (self.project(a), self.project(b));
        (ax * by - ay * bx).abs()
    }
}

impl Bar {
    /// Least and largest corner.
    fn corners(&self) -> (Place, Place) {
        let middle = |index: usize| f64::from(u32::try_from(index).unwrap_or(0)) + 0.5;
        let (x, y, half) = (middle(self.column), middle(self.row), BAR_WIDTH / 2.0);
        ([x - half, y - half, 0.0], [x + half, y + half, self.height])
    }

    /// The corners of a face, in order around it.
    pub(super) fn face(&self, face: Face) -> [Place; 4] {
        let ([x0, y0, z0], [x1, y1, z1]) = self.corners();
        match face {
            Face::Top => [[x0, y0, z1], [x1, y0, z1], [x1, y1, z1], [x0, y1, z1]],
            Face::Front => [[x0, y0, z0], [x1, y0, z0], [x1, y0, z1], [x0, y0, z1]],
            Face::Right => [[x1, y0, z0], [x1, y1, z0], [x1, y1, z1], [x1, y0, z1]],
        }
    }

    /// Whether this bar stands between a place and the eye.
    fn hides(&self, place: Place, to_eye: Place) -> bool {
        let (low, high) = self.corners();
        let (mut enter, mut leave) = (1e-9_f64, f64::MAX);
        for axis in 0..3 {
            let a = (low[axis] - place[axis]) / to_eye[axis];
            let b = (high[axis] - place[axis]) / to_eye[axis];
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        leave - enter > 1e-9
    }
}

/// Samples along each direction of a face.
const SAMPLES: u32 = 6;

/// Area on paper of a bar's faces that no other bar hides, in floor cells squared, found by
/// looking from points of each face to the eye.
pub(super) fn visible_area(bar: &Bar, bars: &[Bar], view: &View) -> f64 {
    let to_eye = view.eye_direction();
    let others: Vec<&Bar> = bars
        .iter()
        .filter(|other| (other.column, other.row) != (bar.column, bar.row))
        .filter(|other| other.row <= bar.row && other.column >= bar.column)
        .collect();
    let mut area = 0.0;
    for face in FACES {
        let [origin, right, _, up] = bar.face(face);
        let along = minus(right, origin);
        let across = minus(up, origin);
        let mut seen = 0_u32;
        for (i, j) in (0..SAMPLES).flat_map(|i| (0..SAMPLES).map(move |j| (i, j))) {
            let share = |index: u32| (f64::from(index) + 0.5) / f64::from(SAMPLES);
            let place = [0, 1, 2]
                .map(|axis: usize| origin[axis] + along[axis] * share(i) + across[axis] * share(j));
            seen += u32::from(!others.iter().any(|other| other.hides(place, to_eye)));
        }
        area += view.area(along, across) * f64::from(seen) / f64::from(SAMPLES * SAMPLES);
    }
    area
}

fn minus(a: Place, b: Place) -> Place {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(column: usize, row: usize, height: f64) -> Bar {
        Bar {
            column,
            row,
            height,
        }
    }

    /// A lone bar shows all its three faces: the hand sum of their projected areas.
    #[test]
    fn a_lone_bar_shows_three_faces() {
        let view = VIEWS[1];
        let alone = bar(0, 0, 1.0);
        let (sin, cos) = (0.28, 0.96);
        let top = BAR_WIDTH * BAR_WIDTH * 0.6;
        let sides = BAR_WIDTH * 0.8 * (sin + cos);
        assert!((visible_area(&alone, &[alone], &view) - top - sides).abs() < 1e-9);
    }

    #[test]
    fn a_wall_in_front_hides_a_flat_bar() {
        let flat = bar(0, 3, 0.0);
        let wall = (0..8).flat_map(|column| (0..3).map(move |row| bar(column, row, 50.0)));
        let bars: Vec<Bar> = wall.chain([flat]).collect();
        assert!(visible_area(&flat, &bars, &VIEWS[0]) < 0.05);
    }

    #[test]
    fn a_bar_behind_or_at_the_left_hides_nothing() {
        let view = VIEWS[0];
        let near = bar(3, 1, 1.0);
        let alone = visible_area(&near, &[near], &view);
        let bars = [near, bar(3, 2, 9.0), bar(2, 1, 9.0), bar(2, 2, 9.0)];
        assert!((visible_area(&near, &bars, &view) - alone).abs() < 1e-12);
    }
}
