//! Every bar can be seen, whatever the figures are.

use super::*;
use crate::verdict::fixture::{CLOUDHARMONY, TRANSCEND, Tenths};

fn matrix(values: &Tenths) -> Matrix {
    let names = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let tenths = |value: &u64| Some(crate::units::to_f64(*value) / 10.0);
    Matrix {
        unit: "IOPS".to_owned(),
        rounds: vec![1, 2, 3, 4, 5],
        blocks_kib: names(&["0.5", "4", "8", "16", "32", "64", "128", "1024"]),
        blocks_bytes: vec![512, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 1_048_576],
        mixes: names(&["0/100", "5/95", "35/65", "50/50", "65/35", "95/5", "100/0"]),
        values: values
            .iter()
            .map(|row| row.iter().map(tenths).collect())
            .collect(),
        missing: vec![vec![None; 7]; 8],
    }
}

/// Smallest visible part of a bar, in units of the drawing squared.
fn smallest(scene: &Scene<'_>) -> f64 {
    let unit = scene.scale * scene.scale;
    let areas = scene
        .bars
        .iter()
        .map(|bar| visible_area(bar, &scene.bars, &scene.view) * unit);
    areas.fold(f64::MAX, f64::min)
}

/// Published matrices, a flat one, and the worst: tall bars in front of flat ones.
#[test]
fn every_bar_shows_a_face() {
    let mut tall_in_front = [[1; 7]; 8];
    for row in &mut tall_in_front {
        row[0] = 10_000_000;
        row[1] = 9_000_000;
    }
    let mut tall_at_right = [[1; 7]; 8];
    tall_at_right[7] = [10_000_000; 7];
    let mut single = [[0; 7]; 8];
    single[7][0] = 150_000_000;
    let all = [
        CLOUDHARMONY,
        TRANSCEND,
        [[1000; 7]; 8],
        tall_in_front,
        tall_at_right,
        single,
    ];
    for (index, values) in all.iter().enumerate() {
        let matrix = matrix(values);
        let scene = Scene::of(&matrix);
        assert_eq!(scene.bars.len(), 56);
        assert!(
            smallest(&scene) >= VISIBLE_MIN,
            "case {index}: {}",
            smallest(&scene)
        );
    }
}

#[test]
fn a_missing_value_is_no_bar() {
    let mut matrix = matrix(&CLOUDHARMONY);
    matrix.values[0] = vec![None; 7];
    assert_eq!(Scene::of(&matrix).bars.len(), 49);
}

/// Everything but the highest wall stays within the drawing for values of all sizes.
#[test]
fn the_room_fits_on_the_drawing() {
    for factor in [1, 100, 100_000] {
        let matrix = matrix(&TRANSCEND.map(|row| row.map(|value| value * factor)));
        let scene = Scene::of(&matrix);
        let (columns, rows) = floor_size(&matrix);
        for place in [
            [0.0, 0.0, 0.0],
            [columns, 0.0, 0.0],
            [columns, rows, scene.walls],
            [0.0, rows, scene.walls],
        ] {
            let (x, y) = scene.at(place);
            assert!(
                x > 0.0 && x < SIZE.0 && y > 0.0 && y < SIZE.1 - 40.0,
                "{x} {y}"
            );
        }
    }
}

#[test]
fn far_bars_are_drawn_first() {
    let matrix = matrix(&CLOUDHARMONY);
    let scene = Scene::of(&matrix);
    let order = scene.far_to_near();
    let ends = (order.first().unwrap(), order.last().unwrap());
    assert_eq!((ends.0.column, ends.0.row), (0, 6));
    assert_eq!((ends.1.column, ends.1.row), (7, 0));
}
